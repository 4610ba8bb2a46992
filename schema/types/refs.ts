import type { Tweet, User } from '../../src/domain/model.js';
import { builder } from '../builder.js';

/** Declared before their fields, because users have tweets and tweets have users. */
export const UserRef = builder.objectRef<User>('User');
export const TweetRef = builder.objectRef<Tweet>('Tweet');
