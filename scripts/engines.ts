import { once } from 'node:events';
import { startTrino } from '../test/support/trino.ts';

// Trino, its bucket and its catalogue, until they are interrupted: for many rounds of npm run test:engines.
await using trino = await startTrino();
console.log(`export ENGINES='${JSON.stringify(trino)}'`);
await once(process, 'SIGINT');
