#!/usr/bin/env python
"""Django's command line for this project."""

import sys

from django.core.management import execute_from_command_line

from trackside.environment import exit_if_unreadable

if __name__ == "__main__":
    exit_if_unreadable()
    execute_from_command_line(sys.argv)
