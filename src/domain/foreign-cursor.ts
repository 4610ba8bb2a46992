import { badRequest, type ServiceError } from './errors.js';

/** For a position that a network cannot read. Perch signed it, so it was made while reading another network. */
export const foreignCursor = (): ServiceError =>
  badRequest('This cursor belongs to a different network. Start again without a cursor.', 'cursor');
