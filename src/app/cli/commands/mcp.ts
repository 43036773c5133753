import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { packageVersion } from '../../../core/host/package-version.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { keepSecret } from '../../../core/secrets/redact.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../etl/project/sql/questions/questions.ts';
import { readCatalog } from '../../../etl/state/catalog/catalog.ts';
import { resolveParameters } from '../../../etl/state/catalog/resolve-parameters.ts';
import { modelLineage } from '../../answers/dictionary/read-dictionary.ts';
import { figureOf } from '../../answers/prove/figure-of.ts';
import { makeProof } from '../../answers/prove/make-proof.ts';
import { sealedProof } from '../../answers/prove/proof.ts';
import { waitingLimits } from '../../answers/query/open-warehouse.ts';
import { WarehousePool } from '../../answers/query/warehouse-pool.ts';
import { explainEmpty } from '../../answers/questions/explain-empty.ts';
import { readScopeNotes } from '../../answers/questions/question-scope.ts';
import { type AssistantReaders, assistantServer } from '../../mcp/assistant-tools.ts';
import { listenForAssistants } from '../../mcp/listen-for-assistants.ts';
import { soundMessages } from '../../mcp/refuse-message.ts';
import { readStatus } from '../../operations/status/read-status.ts';
import type { Command } from '../command.ts';

export const mcp: Command = {
  name: 'mcp',
  summary: 'let assistants query the warehouse over the Model Context Protocol, on stdin and stdout or HTTP',
  flags: { http: { value: 'HOST:PORT', help: 'serve over HTTP, to clients with the token' } },
  async run(invocation) {
    const settings = await invocation.settings();
    await using warehouses = new WarehousePool(waitingLimits(settings), invocation.logger);
    const readers = deskOf(settings, warehouses, invocation.logger);
    const version = await packageVersion();
    const server = () => assistantServer(readers, version);
    const { signal } = invocation;
    const address = invocation.text('http');
    if (address === undefined) {
      const onerror = (error: Error) => invocation.logger.warn('assistant', { error: error.message });
      const messages = soundMessages((answer) => process.stdout.write(answer));
      const ended = pipeline(process.stdin, messages).catch(onerror);
      const handle = serveStdio(server, { onerror, transport: new StdioServerTransport(messages) });
      await Promise.race([ended, aborted(signal)]);
      await handle.close();
      return 0;
    }
    if (!/^.+:\d{1,5}$/.test(address))
      throw new CrawlhouseError('usage', `--http ${address}: not an address`, {
        hint: '--http 127.0.0.1:8091',
      });
    const token = settings.mcp_token ?? randomBytes(24).toString('base64url');
    await using listener = await listenForAssistants(address, token, server, invocation.logger);
    invocation.say(`Assistants: ${listener.url}\n`);
    // Printed before it is registered as a secret, which all output masks.
    if (settings.mcp_token === undefined) invocation.say(`Token, only for this process: ${token}\n`);
    keepSecret(token);
    await aborted(signal);
    return 0;
  },
};

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function deskOf(settings: Settings, warehouses: WarehousePool, logger: Logger): AssistantReaders {
  return {
    logger,
    select: (statement, { limit, offset }, signal) =>
      warehouses.use(async (warehouse) => {
        const parameters = await resolveParameters(statement, warehouse, signal);
        let text = '';
        const take = async (piece: string): Promise<void> => {
          text += piece;
        };
        const { sql, needs } = statement;
        const part = { firstRows: limit, ...(offset > 0 && { page: { limit, offset } }) };
        const rows = await warehouse.write(sql, { format: 'jsonl', ...part }, take, signal, parameters);
        const why = rows > 0 ? null : await explainEmpty({ needs, parameters }, warehouse, signal);
        const scope = await readScopeNotes(
          { parameters, isQuestion: statement.isQuestion },
          warehouse,
          signal,
        );
        return { lines: text, why, scope };
      }),
    catalog: (signal) => warehouses.use((warehouse) => readCatalog(warehouse, signal)),
    questions: () => loadQuestions(sqlFolders(settings)),
    lineage: () => modelLineage(settings),
    status: () => readStatus(settings, Date.now()),
    prove: (asked, signal) =>
      warehouses.use(async (warehouse) => {
        const figure = await figureOf(warehouse, settings, asked, signal);
        return sealedProof(await makeProof(warehouse, settings, figure, signal));
      }),
  };
}
