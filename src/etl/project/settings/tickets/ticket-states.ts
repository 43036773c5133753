/** The states that people set. */
export const TICKET_STATES = ['open', 'in_progress', 'done', 'wont_fix', 'ignored'] as const;
