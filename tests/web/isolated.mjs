// Everything that runs in a cross-origin isolated page of the tests.
import './bridge.mjs'
import './driven.mjs'
