import type { User } from '../src/domain/model.js';

/** An account's writing style. */
export interface Voice {
  readonly lang: string;
  /** Never a capital letter. */
  readonly lower: boolean;
  /** How often a post ends in an emoji, or a hashtag; 0 to 1. */
  readonly emoji: number;
  readonly tags: number;
}

/** An account during the generation of the network. */
export interface DemoAccount {
  readonly index: number;
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  /** The name that others use for them. */
  readonly calledBy: string;
  readonly kind: string;
  readonly institution: boolean;
  readonly town: string;
  readonly createdMs: number;
  readonly protected: boolean;
  readonly verified: boolean;
  readonly bio: string;
  readonly location: string;
  readonly voice: Voice;
  /** Relative to others: how much they post, how likely they are followed. */
  readonly activity: number;
  readonly fame: number;
  /** The share of all accounts that follow a well-known account; null for others. */
  readonly reach: number | null;
  readonly likesCount: number;
  readonly hasUrl: boolean;
  readonly hasBanner: boolean;
}

/** What the rest of the network says about an account. */
export interface DemoStanding {
  readonly followersCount: number;
  readonly followingCount: number;
  readonly tweetsCount: number;
  readonly pinnedTweetId: string | null;
}

export const SITE = 'https://demo.example';

export function toUser(account: DemoAccount, standing: DemoStanding): User {
  const { id, handle, name, bio, location, verified, createdMs, likesCount } = account;
  return {
    id,
    handle,
    name,
    bio,
    location,
    ...(account.hasUrl ? { url: `${SITE}/${handle}` } : {}),
    avatarUrl: `${SITE}/avatar/${handle}.png`,
    ...(account.hasBanner ? { bannerUrl: `${SITE}/banner/${handle}.jpg` } : {}),
    verified,
    protected: account.protected,
    followersCount: standing.followersCount,
    followingCount: standing.followingCount,
    tweetsCount: standing.tweetsCount,
    likesCount,
    listedCount: Math.floor(standing.followersCount / 23),
    createdAt: new Date(createdMs).toISOString(),
    pinnedTweetIds: standing.pinnedTweetId === null ? [] : [standing.pinnedTweetId],
  };
}
