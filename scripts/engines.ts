import { once } from 'node:events';
import { startTrino } from '../test/support/trino.ts';

// Trino, its bucket and its catalog, until they are interrupted: for many rounds of npm run test:engines.
await using trino = await startTrino();
const { url, catalog, bucket, s3 } = trino;
console.log(`export ENGINES='${JSON.stringify({ url, catalog, bucket, s3 })}'`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
