const wrap = (message, cause) => new Error(message, { cause });
function rootCause(error) {
  const chain = [];
  for (let at = error; at; at = at.cause) chain.push(`${at.name}: ${at.message}`);
  return chain;
}
try {
  try {
    try {
      JSON.parse('{"port": 8O80}');
    } catch (error) {
      throw wrap('cannot parse settings', error);
    }
  } catch (error) {
    throw wrap('cannot start', error);
  }
} catch (error) {
  console.log(rootCause(error).join('\n  caused by '));
}
const all = new AggregateError([new TypeError('first'), wrap('second', new RangeError('inner')), 'third'], 'Several failed');
console.log(all.name, all.message, all.errors.length, all instanceof Error, Object.keys(all));
console.log(`${all}`, all.errors.map(String));
const noStack = (error) => { error.stack = `${error.name}: ${error.message}`; return error; };
console.log(noStack(new Error('bare')));
console.log({ error: noStack(new TypeError('nested')) });
const extra = noStack(new Error('with props')); extra.code = 'E_PROPS'; extra.details = { id: 1, list: [1, 2] };
console.log(extra);
console.log(noStack(new Error('outer', { cause: noStack(new Error('inner')) })));
console.log(noStack(new AggregateError([noStack(new Error('a')), noStack(new Error('b'))], 'both')));
console.log([noStack(new Error('one')), noStack(new RangeError('two'))]);
console.log(noStack(new Error('multi\nline')), noStack(new Error('')));
class Custom extends Error { name = 'Custom'; constructor(...args) { super(...args); this.at = 'field'; } }
console.log(noStack(new Custom('own name')));
console.log(Object.keys(new Error('x', { cause: 1 })), Object.getOwnPropertyDescriptor(new Error('x'), 'message'));
console.log('cause' in new Error('x'), 'cause' in new Error('x', { cause: undefined }), new Error('x', { cause: null }).cause);
console.log(JSON.stringify(new Error('x')), JSON.stringify({ e: new TypeError('y') }, Object.getOwnPropertyNames(Error.prototype)));
console.log(Error('called').message, Error.prototype.toString.call({ name: 'N', message: 'm' }), typeof Error.stackTraceLimit);
Promise.all([1, Promise.reject(wrap('rejected', 'a string'))]).catch((error) => console.log(error.message, error.cause));
try { null.property; } catch ({ name, message }) { console.log(name, message); }
try { throw { status: 404 }; } catch (error) { console.log(error, error instanceof Error); }
try { throw null; } catch (error) { console.log(error); }
const finallyOrder = () => { try { return 'try'; } finally { console.log('finally'); } };
console.log(finallyOrder());
