// JSON as every command prints it; made in base/, because exports write it too.

// Times as every command prints them in JSON; made in base/, because exports write them too.

