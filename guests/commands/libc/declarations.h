// Declarations of the C library functions that SQLite uses. The library itself comes with the Rust
// target, which has no headers.
#pragma once

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

void *malloc(size_t);
void *realloc(void *, size_t);
void free(void *);
void abort(void);
int atoi(const char *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));

void *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
char *strchr(const char *, int);
int strcmp(const char *, const char *);
size_t strcspn(const char *, const char *);
size_t strlen(const char *);
int strncmp(const char *, const char *, size_t);
char *strrchr(const char *, int);
size_t strspn(const char *, const char *);
char *strstr(const char *, const char *);

double acos(double);
double acosh(double);
double asin(double);
double asinh(double);
double atan(double);
double atan2(double, double);
double atanh(double);
double ceil(double);
double cos(double);
double cosh(double);
double exp(double);
double fabs(double);
double floor(double);
double fmod(double, double);
double log(double);
double log10(double);
double log2(double);
double pow(double, double);
double sin(double);
double sinh(double);
double sqrt(double);
double tan(double);
double tanh(double);
double trunc(double);

#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define assert(condition) ((void)0)
