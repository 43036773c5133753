import { CrawlhouseError } from '../core/errors/errors.ts';
import type { EngineAddress } from '../project/settings/settings.ts';
import type { EngineKind, RemoteRows } from './engine.ts';
import { KINDS } from './kinds.ts';

export function engineKinds(): readonly EngineKind[] {
  return KINDS;
}

/**
 * What is known of an engine without its libraries.
 *
 * @throws CrawlhouseError `bad_settings` for a name that no engine has
 */
export function engineKind({ engine }: Pick<EngineAddress, 'engine'>): EngineKind {
  const found = KINDS.find(({ name }) => name === engine);
  if (found !== undefined) return found;
  throw new CrawlhouseError('bad_settings', `there is no engine ${engine}`, {
    hint: `engines that work: ${KINDS.map(({ name }) => name).join(', ')}`,
  });
}

/** What only an engine does whose rows are not in the catalogue; null, without its libraries, where they are. */
export async function openRemote(address: EngineAddress): Promise<RemoteRows | null> {
  return (await engineKind(address).remote?.(address)) ?? null;
}

/** Whether the file of a warehouse has all of its rows. */
export function isInCatalogue({ engine }: { readonly engine: EngineAddress }): boolean {
  return engineKind(engine).remote === null;
}
