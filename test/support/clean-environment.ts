import { vi } from 'vitest';
import { forgetSecrets } from '../../src/core/redact.ts';

// Settings of the shell are not the tests', nor are those that another file of the same worker has set.
vi.unstubAllEnvs();
for (const name of Object.keys(process.env))
  if (/^(CRAWLHOUSE|AWS|GOOGLE)_/.test(name)) delete process.env[name];
// A secret of another file may be an ordinary word of this one.
forgetSecrets();
