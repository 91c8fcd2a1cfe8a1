// performance: the run's own clock.
(function (native, internal) {
  'use strict';

  const { monotonicNow, wallNow } = native;
  const { token } = internal;

  class PerformanceEntry {
    #name;
    #type;
    #start;
    #duration;

    constructor(key, name, type, start, duration) {
      if (key !== token) throw internal.illegal();
      this.#name = name;
      this.#type = type;
      this.#start = start;
      this.#duration = duration;
    }

    get name() {
      return this.#name;
    }
    get entryType() {
      return this.#type;
    }
    get startTime() {
      return this.#start;
    }
    get duration() {
      return this.#duration;
    }

    toJSON() {
      return {
        name: this.#name,
        entryType: this.#type,
        startTime: this.#start,
        duration: this.#duration,
      };
    }
  }

  class PerformanceMark extends PerformanceEntry {
    #detail;

    constructor(name, options = {}) {
      super(token, `${name}`, 'mark', options.startTime ?? monotonicNow(), 0);
      this.#detail = options.detail ?? null;
    }

    get detail() {
      return this.#detail;
    }
  }

  class PerformanceMeasure extends PerformanceEntry {
    #detail;

    constructor(key, name, start, duration, detail) {
      super(key, name, 'measure', start, duration);
      this.#detail = detail;
    }

    get detail() {
      return this.#detail;
    }
  }

  class Performance {
    #entries = [];
    #origin;

    constructor(key) {
      if (key !== token) throw internal.illegal();
    }

    now() {
      this.#entries;
      return monotonicNow();
    }

    // Asked for on first use, never at init: the image has no time.
    get timeOrigin() {
      this.#origin ??= wallNow() - monotonicNow();
      return this.#origin;
    }

    mark(name, options) {
      const mark = new PerformanceMark(name, options);
      this.#entries.push(mark);
      return mark;
    }

    measure(name, startOrOptions, endMark) {
      const options =
        startOrOptions !== null && typeof startOrOptions === 'object' ? startOrOptions : undefined;
      const from = options === undefined ? startOrOptions : options.start;
      const to = options?.end ?? endMark;
      let end = to === undefined ? undefined : this.#time(to);
      let start = from === undefined ? undefined : this.#time(from);
      if (options?.duration !== undefined) {
        if (start === undefined && end !== undefined) start = end - options.duration;
        else end = (start ?? 0) + options.duration;
      }
      start ??= 0;
      end ??= monotonicNow();
      const measure = new PerformanceMeasure(
        token,
        `${name}`,
        start,
        end - start,
        options?.detail ?? null,
      );
      this.#entries.push(measure);
      return measure;
    }

    #time(mark) {
      if (typeof mark === 'number') return mark;
      for (let i = this.#entries.length - 1; i >= 0; i--) {
        const entry = this.#entries[i];
        if (entry.entryType === 'mark' && entry.name === `${mark}`) return entry.startTime;
      }
      throw new internal.DOMException(
        `The "${mark}" performance mark has not been set`,
        'SyntaxError',
      );
    }

    #clear(type, name) {
      this.#entries = this.#entries.filter(
        (entry) => entry.entryType !== type || (name !== undefined && entry.name !== `${name}`),
      );
    }

    clearMarks(name) {
      this.#clear('mark', name);
    }
    clearMeasures(name) {
      this.#clear('measure', name);
    }

    getEntries() {
      return this.#entries.slice().sort((a, b) => a.startTime - b.startTime);
    }

    getEntriesByName(name, type) {
      return this.getEntries().filter(
        (entry) => entry.name === `${name}` && (type === undefined || entry.entryType === type),
      );
    }

    getEntriesByType(type) {
      return this.getEntries().filter((entry) => entry.entryType === type);
    }

    toJSON() {
      return { timeOrigin: this.timeOrigin };
    }
  }

  for (const Class of [PerformanceEntry, PerformanceMark, PerformanceMeasure, Performance]) {
    internal.exposeClass(Class);
  }
  internal.exposeObject('performance', new Performance(token));
});
