"""What the Python tests share. Nothing here knows the server's source: only the specification and the contract."""
