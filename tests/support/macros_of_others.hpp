// Macros that other libraries define before a program includes skua. This file includes nothing, so a header that is
// compiled after it still fails if it lacks an include.
#pragma once

// Qt, without QT_NO_KEYWORDS
#define slots
#define signals public
#define emit
#define foreach(variable, container) for (variable : container)
#define forever for (;;)

// <complex.h> in the modes gnu++20 and gnu++23
#define I _Complex_I

// X11: X.h, Xlib.h, Xutil.h, Xos.h
#define None 0L
#define ParentRelative 1L
#define CopyFromParent 0L
#define PointerWindow 0L
#define AnyPropertyType 0L
#define CurrentTime 0L
#define NoSymbol 0L
#define Bool int
#define Status int
#define True 1
#define False 0
#define Success 0
#define BadRequest 1
#define Always 2
#define NotUseful 0
#define WhenMapped 1
#define Above 0
#define Below 1
#define Opposite 4
#define Unsorted 0
#define Complex 0
#define Nonconvex 1
#define Convex 2
#define KeyPress 2
#define FocusIn 9
#define FocusOut 10
#define Expose 12
#define GrayScale 1
#define DestroyAll 0
#define NoValue 0x0000
#define XValue 0x0001

// Windows: windef.h, winnt.h, rpcndr.h, winbase.h, winuser.h
#define near
#define far
#define IN
#define OUT
#define OPTIONAL
#define VOID void
#define CONST const
#define TRUE 1
#define FALSE 0
#define small char
#define hyper long long
#define interface struct
#define pascal
#define cdecl
#define DELETE 0x00010000L
#define ERROR 0
#define NO_ERROR 0L
#define IGNORE 0
#define DIFFERENCE 11
#define THIS void
#define Yield()
#define GetObject GetObjectA
#define GetMessage GetMessageA
#define SendMessage SendMessageA

// glibc's sys/sysmacros.h, Linux in the modes gnu++20 and gnu++23, kernel style, and logging libraries
#define major(device) ((device) >> 8)
#define minor(device) ((device) & 255)
#define unix 1
#define linux 1
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define LOG(level) 0
#define CHECK(condition) static_cast<void>(condition)
#define DEBUG 1
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
