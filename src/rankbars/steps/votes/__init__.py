"""What happens to votes: strengths and their errors, tests, findings, looks, suspects."""
