import type { Connection } from '../../core/duckdb/duckdb.ts';
import type { BotList } from '../../site/access-logs/bots/bot-list.ts';
import { classifyAgent } from '../../site/access-logs/classify-agent.ts';
import type { Agent } from '../../site/access-logs/event-rows.ts';
import { decodedText } from '../../site/access-logs/log-text.ts';
import type { LogTables } from './log-tables.ts';

/** User agents that are distinguished in memory; a later one may get a second number. */
const MOST = 200_000;

/** Numbers of the user agents and origins of a project's logs. New ones are written in the transaction of their rows. */
export class AgentNumbers {
  readonly #tables: LogTables;
  readonly #list: BotList;
  readonly #agents = new Map<string, Agent>();
  readonly #origins = new Map<string, number>();
  /** For logs without user agents. */
  #unknown: Agent | null = null;
  #nextAgent = 1;
  #nextOrigin = 1;
  #newAgents: Readonly<Record<string, unknown>>[] = [];
  #newOrigins: { readonly id: number; readonly origin: string; readonly host: string }[] = [];

  private constructor(tables: LogTables, list: BotList) {
    this.#tables = tables;
    this.#list = list;
  }

  static async read(connection: Connection, tables: LogTables, list: BotList): Promise<AgentNumbers> {
    const next = async (table: string): Promise<number> =>
      Number(await connection.scalar(`SELECT coalesce(max(id), 0) + 1 FROM ${table}`));
    const numbers = new AgentNumbers(tables, list);
    numbers.#nextAgent = await next(tables.agents);
    numbers.#nextOrigin = await next(tables.origins);
    for (const { id, origin } of await connection.rows(`SELECT id, origin FROM ${tables.origins}`))
      numbers.#origins.set(String(origin), Number(id));
    return numbers;
  }

  /**
   * @param bytes one byte per character; null if the log has no user agents, so bots and people cannot be distinguished
   */
  agentOf(bytes: string | null): Agent {
    if (bytes === null) {
      if (this.#unknown !== null) return this.#unknown;
      const id = this.#nextAgent++;
      this.#newAgents.push({ id, is_bot: null });
      this.#unknown = { id, isBot: null, known: null };
      return this.#unknown;
    }
    const found = this.#agents.get(bytes);
    if (found !== undefined) return found;
    if (this.#agents.size >= MOST) this.#agents.clear();
    const user_agent = decodedText(bytes);
    const { known, ...fields } = classifyAgent(user_agent, this.#list);
    const id = this.#nextAgent++;
    this.#newAgents.push({ id, user_agent: user_agent === '' ? null : user_agent, ...fields });
    const agent = { id, isBot: fields.is_bot, known };
    // A slice of a text would keep all of it.
    this.#agents.set(Buffer.from(bytes, 'latin1').toString('latin1'), agent);
    return agent;
  }

  originOf(origin: string): number {
    const found = this.#origins.get(origin);
    if (found !== undefined) return found;
    const id = this.#nextOrigin++;
    this.#origins.set(origin, id);
    this.#newOrigins.push({ id, origin, host: new URL(origin).hostname });
    return id;
  }

  /** Writes the user agents that are new since the last call. */
  async write(connection: Connection): Promise<void> {
    const put = async (table: string, shape: string, rows: readonly object[]): Promise<void> => {
      if (rows.length === 0) return;
      const found = `SELECT unnest(from_json(?::JSON, '[${shape}]'), recursive := true)`;
      await connection.run(`INSERT INTO ${table} BY NAME ${found}`, [JSON.stringify(rows)]);
    };
    const text = (...names: string[]): string => names.map((name) => `"${name}": "VARCHAR"`).join(', ');
    const agent = `{"id": "INTEGER", "is_bot": "BOOLEAN", ${text('user_agent', 'device', 'bot', 'bot_kind', 'search_engine')}}`;
    await put(this.#tables.agents, agent, this.#newAgents);
    await put(this.#tables.origins, `{"id": "INTEGER", ${text('origin', 'host')}}`, this.#newOrigins);
    this.#newAgents = [];
    this.#newOrigins = [];
  }
}
