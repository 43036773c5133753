import { execFile } from 'node:child_process';
import { chown, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from './postgres.ts';
import type { RealServer } from './servers.ts';
import { until } from './until.ts';

const run = promisify(execFile);

export const PASSWORD = 'correct horse/battery+staple';

/** PostgreSQL with TLS and passwords, and a user `crawlhouse` who owns the database `ledgers`. */
export interface LedgerServer extends AsyncDisposable, Pick<RealServer, 'crash' | 'restart'> {
  readonly port: number;
  /** A file with the certificate of the server, which is of localhost. */
  readonly authority: string;
  /** The setting `ledger` of a project. */
  url(project: string, more?: string): string;
  /** As the administrator. */
  admin(sql: string, database?: string): Promise<Record<string, unknown>[]>;
  /** Ends every connection, as a restart does. */
  cut(): Promise<void>;
}

export async function startLedgerServer(): Promise<LedgerServer> {
  const server = await startPostgres();
  const { port } = server;
  const admin = (sql: string, database = 'postgres') => rowsOf({ port, user: 'postgres', database }, sql);
  try {
    await admin(`CREATE ROLE crawlhouse LOGIN PASSWORD '${PASSWORD}'`);
    await admin('CREATE DATABASE ledgers OWNER crawlhouse');
    const [{ data } = {}] = await admin(`SELECT current_setting('data_directory') AS data`);
    const authority = await makeCertificate(String(data));
    await admin(
      `COPY (VALUES ('host all postgres 127.0.0.1/32 trust'), ('host all all 127.0.0.1/32 scram-sha-256'))
       TO '${join(String(data), 'pg_hba.conf')}'`,
    );
    await admin('ALTER SYSTEM SET ssl = on');
    await admin('SELECT pg_reload_conf()');
    // The server reads its files again in its own time.
    const stranger = { port, user: 'crawlhouse', database: 'ledgers', password: 'wrong' };
    await until(async () => ((await isRefused(stranger)) && (await speaksTls(port)) ? true : undefined));
    return {
      port,
      authority,
      url: (project, more = '') =>
        `postgres://crawlhouse:${encodeURIComponent(PASSWORD)}@localhost:${port}/ledgers?project=${encodeURIComponent(project)}${more}`,
      admin,
      cut: async () => {
        await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'crawlhouse'`);
      },
      crash: server.crash,
      restart: server.restart,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

interface Access {
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
  readonly ssl?: { readonly rejectUnauthorized: boolean };
}

async function rowsOf(access: Access, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ host: '127.0.0.1', ...access });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function isRefused(access: Access): Promise<boolean> {
  return rowsOf(access, 'SELECT 1').then(
    () => false,
    () => true,
  );
}

async function speaksTls(port: number): Promise<boolean> {
  const ssl = { rejectUnauthorized: false };
  return !(await isRefused({ port, user: 'postgres', database: 'postgres', ssl }));
}

/** The key belongs to the user of the server, who reads no other. */
async function makeCertificate(data: string): Promise<string> {
  const [key, certificate] = [join(data, 'server.key'), join(data, 'server.crt')];
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-keyout',
    key,
    '-out',
    certificate,
  ]);
  const { uid, gid } = await stat(data);
  for (const file of [key, certificate]) await chown(file, uid, gid);
  return certificate;
}
