#include "declarations.h"
