// Everything that runs in a page with neither suspension nor shared memory.
import './waitless.mjs'
import './driven.mjs'
