import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { EngineAddress } from '../project/settings/settings.ts';
import type { EngineKind, RemoteRows } from './engine.ts';
import { KINDS } from './kinds.ts';

export function engineKinds(): readonly EngineKind[] {
  return KINDS;
}

/**
 * Returns the description of an engine without loading its libraries.
 *
 * @throws CrawlhouseError `bad_settings` for an unknown engine
 */
export function engineKind({ engine }: Pick<EngineAddress, 'engine'>): EngineKind {
  const found = KINDS.find(({ name }) => name === engine);
  if (found !== undefined) return found;
  throw new CrawlhouseError('bad_settings', `there is no engine ${engine}`, {
    hint: `engines: ${KINDS.map(({ name }) => name).join(', ')}`,
  });
}

/**
 * Opens the engine that stores the rows. Returns null, without loading libraries, if the catalog stores them.
 */
export async function openRemote(address: EngineAddress): Promise<RemoteRows | null> {
  return (await engineKind(address).remote?.(address)) ?? null;
}

/** Returns whether the file of a warehouse contains all of its rows. */
export function isInCatalog({ engine }: { readonly engine: EngineAddress }): boolean {
  return engineKind(engine).remote === null;
}
