#define E
#define D(x) x E
#define h() D(h2)()()
#define h2() h
#define V(x) x
#define s(x) #x
#define S(x) s(x)
#define c(a,b) a##b
h() V(h()) V(V(h())) S(V(-)-E- "\"" L'\\' @\ k) c(1,e) c(1e,+3) c(<,<=) c(L,"x") c(,) f
