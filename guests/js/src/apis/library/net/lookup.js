// Names of hosts, for `net` and `dns`: those of this machine alone. A request of `fetch` has its name
// resolved by the host, after the check.
import { addressOf, refusal } from 'internal/net/connections';
import { isIP } from 'net';

const lookup = (name, options, done) => {
  if (typeof options === 'function') [options, done] = [undefined, options];
  const address = isIP(name) ? name : addressOf(name);
  if (address === undefined) return void setImmediate(done, refusal(name));
  const family = isIP(address);
  if (options?.all) setImmediate(done, null, [{ address, family }]);
  else setImmediate(done, null, address, family);
};
export default { lookup };
