// Names of hosts, for `net`: those of this machine alone. A request of `fetch` has its name resolved
// by the host, after the check.
import { addressOf, refusal } from 'internal/net/connections';

const lookup = (name, options, done) => {
  const address = addressOf(name);
  if (address === undefined) return setImmediate(done, refusal(name));
  if (options?.all) return setImmediate(done, null, [{ address, family: 4 }]);
  setImmediate(done, null, address, 4);
};
export default { lookup };
