// Everything that runs in the page of the tests.
import './checks.mjs'
import './arrival.mjs'
import './frame.mjs'
import './keep.mjs'
import './names.mjs'
import './programs.mjs'
import './prompt.mjs'
import './driven.mjs'
