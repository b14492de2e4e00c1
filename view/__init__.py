"""What people look at: countermodels drawn and explained, pages to browse a dataset, reports of runs."""
