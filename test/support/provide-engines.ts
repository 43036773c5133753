import type { TestProject } from 'vitest/node';
import { startTrino, type TrinoAddress } from './trino.ts';

declare module 'vitest' {
  interface ProvidedContext {
    trino: TrinoAddress;
  }
}

/** Starts Trino once for all files, unless ENGINES has the address of one (`npm run engines`). */
export default async function provideEngines({ provide }: TestProject): Promise<() => Promise<void>> {
  if (process.env.ENGINES !== undefined) {
    provide('trino', JSON.parse(process.env.ENGINES) as TrinoAddress);
    return async () => {};
  }
  const trino = await startTrino();
  const { url, catalog, bucket, s3 } = trino;
  provide('trino', { url, catalog, bucket, s3 });
  return async () => {
    await trino[Symbol.asyncDispose]();
  };
}
