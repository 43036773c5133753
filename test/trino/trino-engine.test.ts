import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { engineContract } from '../etl/engines/engine-contract.ts';
import { bucketCredentials, trinoSettings } from '../support/trino-settings.ts';

const trino = inject('trino');
Object.assign(process.env, bucketCredentials(trino));

engineContract('Trino', () => trinoSettings(trino, `e${randomUUID().slice(0, 8)}_`));
