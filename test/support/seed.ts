import fc from 'fast-check';
import { testSeed } from './random.ts';

// Two runs of one commit try the same cases. SEED=… tries others.
fc.configureGlobal({ seed: testSeed() });
