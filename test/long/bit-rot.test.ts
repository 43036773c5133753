import { join } from 'node:path';
import { test } from 'vitest';
import { places, projectWithPages, runDamaged } from '../support/bit-rot.ts';
import { ALL_ROUNDS, seededRandom, testSeed } from '../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';

// By day bit-rot-run.test.ts flips three of them.
test.runIf(ALL_ROUNDS)(
  `a byte flipped in each block of the working copy: each run publishes all, whole (seed ${testSeed()})`,
  async () => {
    const project = await projectWithPages();
    const connection = await temporaryConnection(await temporaryFolder());
    const random = seededRandom(testSeed());
    for (const place of await places(join(project.folder, '.crawlhouse', 'work.duckdb')))
      await runDamaged(connection, project, place + Math.floor(random() * 4096));
  },
);
