import { engineContract } from '../engine-contract.ts';

engineContract('DuckDB', () => 'shipped_models: none\n');
