import type { PostView } from './schemas.js';

/** Not to be shown to people who are not signed in, or to anyone: everyone can see what Perch returns. */
const OPT_OUTS: ReadonlySet<string> = new Set(['!no-unauthenticated', '!hide', '!takedown']);

interface Labelled {
  readonly labels?: PostView['labels'];
}

export const isHidden = ({ labels = [] }: Labelled): boolean =>
  labels.some(({ val, neg }) => OPT_OUTS.has(val) && neg !== true);

export const isHiddenPost = (post: PostView): boolean => isHidden(post) || isHidden(post.author);
