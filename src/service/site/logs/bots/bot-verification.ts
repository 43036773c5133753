/** Whether a bot is what it says. `unchecked`: nothing says so. */
export type BotVerification = 'verified' | 'refuted' | 'unchecked';
