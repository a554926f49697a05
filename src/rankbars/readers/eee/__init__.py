"""Records of Every Eval Ever: aggregate files and the rows of instances beside them."""
