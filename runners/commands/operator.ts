/** Who gives a command, where nobody says so: the name one is logged in under. */
import { userInfo } from 'node:os';

const loginName = (): string => {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
};

export const operator = (): string => {
  const name = loginName();
  return name === '' ? 'operator' : `operator ${name}`;
};
