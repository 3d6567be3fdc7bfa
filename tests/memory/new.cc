/* operator new and delete: NAME_0 is the thread. */
#include <cstdlib>
#include <new>

#include <memory>
#include <string>
#include <vector>

void *keep;
struct base {
  int a = 1;
  ~base() {}
};
struct derived : base {
  long b[4] = {};
};
struct alignas(64) wide {
  char c[64];
};

#define SCENE(name) extern "C" long name##_0(void)
static void *hidden(void *p) {
  __asm__ volatile("" : "+r"(p));
  return p;
}

SCENE(ok_new) {
  auto *one = new int(5);
  auto *many = new int[10]();
  auto *w = new wide;
  bool aligned = (reinterpret_cast<unsigned long>(w) & 63) == 0;
  auto *none = new (std::nothrow) char[3];
  std::vector<std::string> texts(10, std::string(100, 'x'));
  auto shared = std::make_shared<derived>();
  long sum = *one + many[3] + shared->a + (long)texts[3].size();
  delete one;
  delete[] many;
  delete w;
  delete[] none;
  delete static_cast<int *>(nullptr);
  return aligned ? sum : -1;
}
SCENE(bad_free_of_new) {
  free(hidden(new int));
  return 0;
}
SCENE(bad_delete_of_malloc) {
  delete static_cast<int *>(hidden(malloc(4)));
  return 0;
}
SCENE(bad_delete_array) {
  delete[] static_cast<int *>(hidden(new int));
  return 0;
}
SCENE(bad_delete_derived) {
  delete static_cast<base *>(hidden(new derived));
  return 0;
}
SCENE(uaf_delete) {
  auto *p = static_cast<int *>(hidden(new int(1)));
  delete p;
  return *static_cast<int *>(hidden(p));
}
SCENE(bounds_new) {
  auto *p = static_cast<char *>(hidden(new char[10]));
  long v = p[10];
  delete[] p;
  return v;
}
SCENE(leak_new) {
  hidden(new int(5));
  return 0;
}
