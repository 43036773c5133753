import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { forgetSecrets } from '../../src/core/secrets/redact.ts';
import { checkTypedRows } from '../../src/core/text/typed-rows.ts';

// Settings of the shell are not the tests', nor are those that another file of the same worker has set.
vi.unstubAllEnvs();
for (const name of Object.keys(process.env))
  if (/^(CRAWLHOUSE|AWS|GOOGLE)_/.test(name)) delete process.env[name];
// Processes and threads keep their compiled code: most take longer to compile it than to run.
process.env.NODE_COMPILE_CACHE = join(tmpdir(), 'crawlhouse-test-compiled');
enableCompileCache();
// A secret of another file may be an ordinary word of this one.
forgetSecrets();
checkTypedRows();
