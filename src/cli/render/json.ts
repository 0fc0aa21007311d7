// JSON as every command prints it; made in base/, because exports write it too.
