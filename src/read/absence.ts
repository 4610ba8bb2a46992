import { ServiceError } from '../domain/errors.js';

/** A remembered 404, repeated for a while free of charge and without asking the network. */
export interface Absence {
  readonly message: string;
  readonly reason?: string;
}

export function toAbsence(failure: ServiceError): Absence {
  const { reason } = failure.detail;
  return reason === undefined ? { message: failure.message } : { message: failure.message, reason };
}

export const notFoundFrom = (absence: Absence): ServiceError =>
  new ServiceError('not_found', absence.message, absence.reason === undefined ? {} : { reason: absence.reason });
