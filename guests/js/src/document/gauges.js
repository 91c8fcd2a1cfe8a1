// Meters and progress bars: values that are kept within their limits when they are read.
(function (native, internal) {
  'use strict';

  const { defineAccessor, htmlClass: N, mix, readAttribute: read } = internal;

  const number = (element, name, missing) => {
    const value = parseFloat(read(element, name) ?? '');
    return Number.isFinite(value) ? value : missing;
  };
  const set = (element, name, value) => {
    const wanted = +value;
    if (!Number.isFinite(wanted)) throw internal.wrongType(name, 'a finite number', value);
    internal.setAttribute(element, name, `${wanted}`);
  };
  const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
  const min = (meter) => number(meter, 'min', 0);
  const max = (meter) => Math.max(min(meter), number(meter, 'max', 1));
  const within = (meter, name, missing) => clamp(number(meter, name, missing), min(meter), max(meter));
  const low = (meter) => within(meter, 'low', min(meter));
  const READS = {
    value: (meter) => within(meter, 'value', 0),
    min,
    max,
    low,
    high: (meter) => Math.max(low(meter), within(meter, 'high', max(meter))),
    optimum: (meter) => within(meter, 'optimum', (min(meter) + max(meter)) / 2),
  };
  for (const [name, get] of Object.entries(READS)) {
    defineAccessor(N('Meter'), name, get, (meter, value) => set(meter, name, value));
  }
  mix(N('Progress'), {
    get value() {
      return clamp(number(this, 'value', 0), 0, this.max);
    },
    set value(value) {
      set(this, 'value', value);
    },
    get position() {
      return read(this, 'value') === null ? -1 : this.value / this.max;
    },
  });
});
