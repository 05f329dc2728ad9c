// A catalog without anything in it: it has a configuration, and lists no namespaces.
package main

import (
	"io"
	"net/http"
	"os"
)

var answers = map[string]string{
	"GET /v1/config":     `{"defaults":{},"overrides":{},"endpoints":["GET /v1/{prefix}/namespaces"]}`,
	"GET /v1/namespaces": `{"namespaces":[]}`,
}

const missing = `{"error":{"message":"no such path","type":"NotFoundException","code":404}}`

func main() {
	http.ListenAndServe("127.0.0.1:"+os.Args[1], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		answer, known := answers[r.Method+" "+r.URL.Path]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			answer = missing
		}
		io.WriteString(w, answer)
	}))
}
