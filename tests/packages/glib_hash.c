/* GLib's GHashTable under its GRWLock (Debian's glib2.0, its library built with asif-cc), unmodified. -DREADER: an insertion holds the lock as a
 * reader does. */
#include <asif.h>
#include <glib.h>

static GRWLock lock;
static GHashTable *table;

static void start(void) { table = g_hash_table_new(NULL, NULL); }
static bool add(int k) {
#ifdef READER
  g_rw_lock_reader_lock(&lock);
  bool is_new = g_hash_table_add(table, GINT_TO_POINTER(k));
  g_rw_lock_reader_unlock(&lock);
#else
  g_rw_lock_writer_lock(&lock);
  bool is_new = g_hash_table_add(table, GINT_TO_POINTER(k));
  g_rw_lock_writer_unlock(&lock);
#endif
  return is_new;
}
static bool del(int k) {
  g_rw_lock_writer_lock(&lock);
  bool was = g_hash_table_remove(table, GINT_TO_POINTER(k));
  g_rw_lock_writer_unlock(&lock);
  return was;
}
static bool contains(int k) {
  g_rw_lock_reader_lock(&lock);
  bool is = g_hash_table_contains(table, GINT_TO_POINTER(k));
  g_rw_lock_reader_unlock(&lock);
  return is;
}

ASIF_OBJECT(set)
ASIF_INIT(start)
ASIF_OP(add, ASIF_IN(1, 2))
ASIF_OP(contains, ASIF_IN(1, 2))
ASIF_OP_AS(remove, del, ASIF_IN(1, 2))
