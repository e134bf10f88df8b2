/** In which order MediaWiki names its job types: those of the core first, as it declares them, then all others by name. */
const CORE = [
  'deletePage',
  'refreshLinks',
  'deleteLinks',
  'htmlCacheUpdate',
  'sendMail',
  'enotifNotify',
  'fixDoubleRedirect',
  'AssembleUploadChunks',
  'PublishStashedFile',
  'ThumbnailRender',
  'recentChangesUpdate',
  'refreshLinksPrioritized',
  'refreshLinksDynamic',
  'activityUpdateJob',
  'categoryMembershipChange',
  'clearUserWatchlist',
  'watchlistExpiry',
  'cdnPurge',
  'userGroupExpiry',
  'clearWatchlistNotifications',
  'userOptionsUpdate',
  'revertedTagUpdate',
  'enqueue',
  'null',
  'userEditCountInit',
] as const;

const RANKS: ReadonlyMap<string, number> = new Map(CORE.map((type, rank) => [type, rank]));

const rankOf = (type: string): number => RANKS.get(type) ?? CORE.length;

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const inMediaWikisOrder = (types: Iterable<string>): readonly string[] =>
  [...types].sort((a, b) => rankOf(a) - rankOf(b) || byName(a, b));
