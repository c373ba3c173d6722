"""The verbs of the command: each is one function that reads its arguments, calls the client and prints.

What is heavy a verb imports when it runs, so that help and the checks of arguments load none of it.
"""
