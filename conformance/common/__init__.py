"""Templates, catalogs and inputs that the requirements of several APIs share. Names no API."""
