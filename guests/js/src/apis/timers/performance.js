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

  const readOptions = (options, name) => {
    if (options === undefined || options === null) return undefined;
    if (typeof options === 'object' || typeof options === 'function') return options;
    throw internal.wrongType(name, 'of type object', options);
  };
  const timeOf = (time) => {
    const number = +time;
    if (number >= 0 && number !== Infinity) return number;
    throw internal.coded(
      new TypeError(`${number} is not a valid timestamp`),
      'ERR_PERFORMANCE_INVALID_TIMESTAMP',
    );
  };
  // The detail of an entry is a copy, so that what is done with it later does not show.
  const copyOf = (detail) =>
    detail === undefined || detail === null ? null : native.structuredClone(detail);

  class PerformanceMark extends PerformanceEntry {
    #detail;

    constructor(name, options = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to construct 'PerformanceMark'");
      const { startTime, detail } = readOptions(options, 'options') ?? {};
      super(token, `${name}`, 'mark', startTime === undefined ? monotonicNow() : timeOf(startTime), 0);
      this.#detail = copyOf(detail);
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

  // Options say where a measure starts, ends or how long it takes, and no further argument does.
  const checkMeasure = (options, endMark) => {
    const { detail, duration, end, start } = options;
    if (start === undefined && end === undefined && duration === undefined && detail === undefined) return;
    const isOver = start !== undefined && end !== undefined && duration !== undefined;
    if (endMark !== undefined || isOver || (start === undefined && end === undefined)) {
      throw internal.coded(
        new TypeError('One of options.start or options.end is required'),
        'ERR_PERFORMANCE_MEASURE_INVALID_OPTIONS',
      );
    }
  };

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

    mark(name, options = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'mark' on 'Performance'");
      const mark = new PerformanceMark(name, options);
      this.#entries.push(mark);
      return mark;
    }

    measure(name, startOrOptions, endMark) {
      const options =
        startOrOptions !== null && typeof startOrOptions === 'object' ? startOrOptions : undefined;
      if (options !== undefined) checkMeasure(options, endMark);
      const from = options === undefined ? (startOrOptions ?? undefined) : options.start;
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
        copyOf(options?.detail),
      );
      this.#entries.push(measure);
      return measure;
    }

    #time(mark) {
      if (typeof mark === 'number') return timeOf(mark);
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
