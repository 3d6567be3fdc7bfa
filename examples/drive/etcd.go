// A client program for asif drive: etcd over HTTP, with Go's own library alone.
//
//	go build examples/drive/etcd.go
//	asif drive './etcd http://127.0.0.1:2379' --ops get,put
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

type answer struct {
	Kvs []struct{ Value []byte }
}

func call(url string, request map[string][]byte) (answer, error) {
	var a answer
	body, _ := json.Marshal(request) // []byte is written in base64
	response, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return a, fmt.Errorf("status %d", response.StatusCode)
	}
	return a, json.NewDecoder(response.Body).Decode(&a)
}

func main() {
	server, prefix := os.Args[1], os.Getenv("ASIF_PREFIX")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		key := []byte(prefix + "-" + words[1])
		switch words[0] {
		case "get":
			a, err := call(server+"/v3/kv/range", map[string][]byte{"key": key})
			if err != nil {
				fmt.Println("fail", err)
			} else if len(a.Kvs) == 0 {
				fmt.Println("ok nil")
			} else {
				fmt.Println("ok", string(a.Kvs[0].Value))
			}
		case "put":
			_, err := call(server+"/v3/kv/put", map[string][]byte{"key": key, "value": []byte(words[2])})
			if err != nil {
				fmt.Println("info", err)
			} else {
				fmt.Println("ok")
			}
		default:
			fmt.Println("fail", words[0], "is not known")
		}
	}
}
