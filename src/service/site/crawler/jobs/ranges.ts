/** SQL for the range that a number of links is in, as the service names them; the lower bound is in, the upper is not. */
export function linkRange(count: string): string {
  return `CASE WHEN ${count} < 50 THEN '0-50' WHEN ${count} < 100 THEN '50-100' WHEN ${count} < 150 THEN '100-150' WHEN ${count} < 200 THEN '150-200' WHEN ${count} >= 200 THEN '>200' END`;
}

/** SQL for the range of a status; NULL for one below 200. */
export function statusRange(status: string): string {
  return `CASE WHEN ${status} BETWEEN 200 AND 299 THEN 'ok' WHEN ${status} BETWEEN 300 AND 399 THEN 'redirect' WHEN ${status} BETWEEN 400 AND 499 THEN 'client_error' WHEN ${status} >= 500 THEN 'server_error' END`;
}

/** SQL for the id of something that a text names: no more than a name for it, so equal in each crawl of a site. */
export function hashOf(value: string): string {
  return `substr(md5(${value}), 1, 16)`;
}
