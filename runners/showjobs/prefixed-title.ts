/** A page's title as MediaWiki shows it: the namespace's canonical name in front. */
const NAMESPACES: Readonly<Record<number, string>> = {
  [-2]: 'Media',
  [-1]: 'Special',
  1: 'Talk',
  2: 'User',
  3: 'User_talk',
  4: 'Project',
  5: 'Project_talk',
  6: 'File',
  7: 'File_talk',
  8: 'MediaWiki',
  9: 'MediaWiki_talk',
  10: 'Template',
  11: 'Template_talk',
  12: 'Help',
  13: 'Help_talk',
  14: 'Category',
  15: 'Category_talk',
};

const MAIN = 0;
const SPECIAL = -1;

/** MediaWiki keeps −1 for a job that is about no page. */
export const pageNamespace = (namespace: number, title: string): number =>
  title === '' ? SPECIAL : namespace;

/** A namespace that only the wiki's own configuration knows is shown as MediaWiki shows one that it does not know. */
export const prefixedTitle = (namespace: number, title: string): string =>
  namespace === MAIN ? title : `${NAMESPACES[namespace] ?? `Special:Badtitle/NS${namespace}`}:${title}`;
