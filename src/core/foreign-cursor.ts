import { badRequest, type ServiceError } from './errors.js';

/** For a position that a network cannot read. It was signed here, so it was made while Perch read another network. */
export const foreignCursor = (): ServiceError =>
  badRequest('This cursor belongs to a different network. Start again without a cursor.', 'cursor');
