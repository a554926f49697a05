"""Results and summaries of OpenCompass."""
