/** Settings of the shell that runs the tests are not theirs. */
for (const name of Object.keys(process.env)) if (name.startsWith('CRAWLHOUSE_')) delete process.env[name];
