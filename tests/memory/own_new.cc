/* An operator new of the code's own: this file uses it, and the C++ library the one from outside. */
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

void *operator new(std::size_t size) {
  void *p = malloc(size);
  if (!p) throw std::bad_alloc();
  return p;
}
void operator delete(void *p) noexcept { free(p); }

extern "C" long own_new_0(void) {
  std::vector<std::string> texts(2, std::string(100, 'x'));
  texts[0] += texts[1].substr(2);
  delete new int(5);
  return (long)texts[0].size();
}
extern "C" long own_twice_0(void) {
  int *p = new int(5);
  delete p;
  __asm__ volatile("" : "+r"(p));
  delete p;
  return 0;
}
