import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Runs `static-service.ts` over a folder of data, with these further arguments, while the work lasts. */
export async function withService(
  [dataFolder, ...args]: readonly [string, ...string[]],
  work: (baseUrl: string) => Promise<void>,
): Promise<void> {
  const program = join(import.meta.dirname, 'static-service.ts');
  const server = spawn(process.execPath, [program, dataFolder, ...args]);
  server.stderr.pipe(process.stderr);
  try {
    const [port] = await once(server.stdout, 'data');
    await work(`http://127.0.0.1:${String(port).trim()}`);
  } finally {
    server.kill();
  }
}
