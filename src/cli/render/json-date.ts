// Times as every command prints them in JSON; made in base/, because exports write them too.
